/** A request of a webhook. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

export function post(
  url: string,
  json: object,
  headers: Readonly<Record<string, string>> = {},
): WebhookRequest {
  return { url, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(json) };
}

export const bearer = (secret: string) =>
  secret === '' ? undefined : { authorization: `Bearer ${secret}` };

/** Below an address that may have a path. */
export const below = (url: string, path: string): string => {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path}`;
  return address.href;
};
