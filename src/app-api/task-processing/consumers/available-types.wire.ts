import { z } from 'zod';
import type { AvailableType } from '../providers/task-catalogue.service.js';

/** The types that can be scheduled now, as consumers see them. Maps without entries are `{}`. */
export function toTypesJson(types: ReadonlyMap<string, AvailableType>) {
  return Object.fromEntries([...types].map(([id, available]) => [id, toTypeJson(available)]));
}

function toTypeJson({ type, provider }: AvailableType) {
  return {
    name: type.name,
    description: type.description,
    inputShape: type.inputShape,
    inputShapeEnumValues: provider.inputEnumValues,
    inputShapeDefaults: provider.inputDefaults,
    optionalInputShape: provider.optionalInputShape,
    optionalInputShapeEnumValues: provider.optionalInputEnumValues,
    optionalInputShapeDefaults: provider.optionalInputDefaults,
    outputShape: type.outputShape,
    outputShapeEnumValues: provider.outputEnumValues,
    optionalOutputShape: provider.optionalOutputShape,
    optionalOutputShapeEnumValues: provider.optionalOutputEnumValues,
    isInternal: type.isInternal,
  };
}

/** By id. */
export const AvailableTypesAnswer = z.object({
  types: z.record(
    z.string(),
    z.object({
      name: z.string(),
      description: z.string(),
      inputShape: z.unknown(),
      inputShapeEnumValues: z.unknown(),
      inputShapeDefaults: z.unknown(),
      optionalInputShape: z.unknown(),
      optionalInputShapeEnumValues: z.unknown(),
      optionalInputShapeDefaults: z.unknown(),
      outputShape: z.unknown(),
      outputShapeEnumValues: z.unknown(),
      optionalOutputShape: z.unknown(),
      optionalOutputShapeEnumValues: z.unknown(),
      isInternal: z.boolean(),
    }),
  ),
});
