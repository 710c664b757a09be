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
