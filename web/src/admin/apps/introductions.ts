import type { Introduction } from './apps.store.js';

export const NOTHING_SAID: Introduction = {
  appId: '',
  baseUrl: '',
  secret: '',
  jsonInfo: '',
  infoXml: '',
};
