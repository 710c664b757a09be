import { z } from 'zod';
import type { StoredValue } from './values.repository.js';

export function toConfigValueJson(appId: string, { id, key, value, sensitive }: StoredValue) {
  return { id, appid: appId, configkey: key, configvalue: value, sensitive: Number(sensitive) };
}

export function toPreferenceJson(appId: string, userId: string, kept: StoredValue) {
  return { ...toConfigValueJson(appId, kept), user_id: userId };
}

export function toKeyAndValueJson({ key, value }: StoredValue) {
  return { configkey: key, configvalue: value };
}

const valueFields = {
  id: z.int(),
  appid: z.string(),
  configkey: z.string(),
  configvalue: z.string().nullable(),
  sensitive: z.int(),
};

export const ConfigValueAnswer = z.object(valueFields);

export const PreferenceAnswer = z.object({ ...valueFields, user_id: z.string() });

export const ValuesAnswer = z.array(
  z.object({ configkey: z.string(), configvalue: z.string().nullable() }),
);

export const RemovedCountAnswer = z.int().describe('How many were removed.');
