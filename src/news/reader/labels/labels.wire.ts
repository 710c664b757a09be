import { z } from 'zod';
import type { Label } from './labels.service.js';

/** @see docs/news-api.md "Labels" */
export function toLabelJson({ id, name, itemCount, unreadCount }: Label) {
  return { id, name, itemCount, unreadCount };
}

const LabelSchema = z
  .object({ id: z.int(), name: z.string(), itemCount: z.int(), unreadCount: z.int() })
  .meta({ id: 'Label' });

export const LabelsAnswer = z.object({ labels: z.array(LabelSchema) });

export const RemovedLabelAnswer = z.object({ name: z.string(), itemIds: z.array(z.int()) });
