import { requestJson } from '../../host/http.js';

/** Servers whose webhooks need an address alone, and Webhook for programs. */
export const WEBHOOK_FORMS = [
  'teams',
  'slack',
  'matrix',
  'discord',
  'ntfy',
  'apprise',
  'standard',
] as const;
export type BoardWebhookForm = (typeof WEBHOOK_FORMS)[number];

/** A board, with when its members get what is new by mail. */
export interface TellingBoard {
  readonly id: number;
  readonly name: string;
  readonly groupFolderId: number;
  readonly groupName: string;
  readonly member: boolean;
  readonly digest: {
    /** `HH:MM`. */
    readonly at: string;
    readonly timeZone: string;
    /** Whether the visitor wants it. */
    readonly wanted: boolean;
  } | null;
}

export interface BoardWebhook {
  readonly id: number;
  readonly name: string;
  readonly target: string;
  readonly enabled: boolean;
  readonly lastError: string | null;
  readonly offReason: string | null;
}

const PATH = '/apps/news/api/v1-3/boards';

export const listTellingBoards = async () =>
  (await requestJson<{ boards: readonly TellingBoard[] }>(PATH)).boards;

export const listWebhooks = async (boardId: number) =>
  (await requestJson<{ webhooks: readonly BoardWebhook[] }>(`${PATH}/${boardId}/webhooks`))
    .webhooks;

/** @returns the key for checking signatures, shown only now; or null */
export const addWebhook = async (
  boardId: number,
  json: { readonly form: BoardWebhookForm; readonly name: string; readonly address: string },
) =>
  (
    await requestJson<{ secret: string | null }>(`${PATH}/${boardId}/webhooks`, {
      method: 'POST',
      json,
    })
  ).secret;

export const switchWebhook = (boardId: number, id: number, enabled: boolean) =>
  requestJson(`${PATH}/${boardId}/webhooks/${id}`, { method: 'PUT', json: { enabled } });

export const removeWebhook = (boardId: number, id: number) =>
  requestJson(`${PATH}/${boardId}/webhooks/${id}`, { method: 'DELETE' });

/** @returns what the receiver said, a sentence */
export const tryWebhook = async (boardId: number, id: number) =>
  (
    await requestJson<{ message: string }>(`${PATH}/${boardId}/webhooks/${id}/test`, {
      method: 'POST',
    })
  ).message;

/** @param at null: no mails */
export const setDigest = (boardId: number, at: string | null, timeZone: string) =>
  requestJson(`${PATH}/${boardId}/digest`, { method: 'PUT', json: { at, timeZone } });

export const chooseDigest = (boardId: number, wanted: boolean) =>
  requestJson(`${PATH}/${boardId}/digest/mine`, { method: 'PUT', json: { wanted } });
