import { z } from 'zod';
import { MANUAL_INSTALL } from '../daemons.service.js';
import { flag, name, orElse, text } from './loose-values.js';

/** Per cent; apps divide and send fractions. */
const progress = z
  .preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z
      .number({ error: 'must be a number from 0 to 100' })
      .min(0, 'must be a number from 0 to 100')
      .max(100, 'must be a number from 0 to 100'),
  )
  .transform(Math.floor);

export const Progress = z.object({
  progress,
  error: orElse(text(10_000), ''),
  appId: z.string().optional(),
});

export const AppPath = z.object({ appId: z.string() });
export const SetEnabled = z.object({ appId: z.string(), enabled: flag });
export const ListOfApps = z.object({ list: z.string() });

/** The info as an object or as the text of one. */
const info = z.union([z.string(), z.record(z.string(), z.unknown())]).optional();

export const RegisterApp = z.object({
  appId: z.string().optional(),
  daemonName: z.string().optional(),
  jsonInfo: info,
  infoXml: z.string().optional(),
});
export const UpdateApp = z.object({
  appId: z.string(),
  jsonInfo: info,
  infoXml: z.string().optional(),
});
export const UninstallApp = z.object({
  appId: z.string(),
  keepData: orElse(flag, false),
  force: orElse(flag, false),
});

export const DaemonPath = z.object({ name: z.string() });
export const DaemonFields = z
  .object({
    name: name(64),
    displayName: text(64).optional(),
    acceptsDeployId: orElse(text(64), MANUAL_INSTALL),
    protocol: orElse(text(16), 'http'),
    host: name(255),
    deployConfig: orElse(z.record(z.string(), z.unknown()), {}),
    isDefault: orElse(flag, false),
  })
  .transform((daemon) => ({ ...daemon, displayName: daemon.displayName ?? daemon.name }));
