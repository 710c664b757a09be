import type { Introduction } from './apps.js';

export const NOTHING_SAID: Introduction = {
  appId: '',
  baseUrl: '',
  secret: '',
  jsonInfo: '',
  infoXml: '',
};
