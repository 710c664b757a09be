import type { KeptValue } from './values.repository.js';

export function toConfigValueJson(appId: string, { id, key, value, sensitive }: KeptValue) {
  return { id, appid: appId, configkey: key, configvalue: value, sensitive: Number(sensitive) };
}

export function toPreferenceJson(appId: string, userId: string, kept: KeptValue) {
  return { ...toConfigValueJson(appId, kept), user_id: userId };
}

export function toKeyAndValueJson({ key, value }: KeptValue) {
  return { configkey: key, configvalue: value };
}
