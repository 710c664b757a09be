import { expect, it } from 'vitest';
import { conditionOf } from './app-condition.js';
import type { AppStatus, ExternalApp } from './apps.store.js';

const QUIET: AppStatus = { init: 100, action: '', type: '', error: '' };

it.each([
  ['enabled', true, {}],
  ['disabled', false, {}],
  ['unreachable', true, { heartbeat_error: 'refused' }],
  ['disabled', false, { heartbeat_error: 'refused' }],
  ['enabled', true, { heartbeat_error: '' }],
  ['busy', false, { type: 'install' }],
  ['busy', true, { action: 'healthcheck' }],
  ['failed', true, { error: 'no answer', type: 'update failed' }],
] as const)('An app is %s: enabled %s, status %j.', (condition, enabled, status) => {
  const app = { enabled, status: { ...QUIET, ...status } } as ExternalApp;

  expect(conditionOf(app)).toBe(condition);
});
