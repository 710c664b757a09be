import { z } from 'zod';

export const PartsAnswer = z.object({ apps: z.array(z.string()) });

export const CapabilitiesAnswer = z.object({
  version: z.object({
    major: z.int(),
    minor: z.int(),
    micro: z.int(),
    string: z.string(),
    edition: z.string(),
    extendedSupport: z.boolean(),
  }),
  capabilities: z.record(z.string(), z.unknown()),
});

export const StatusPhpAnswer = z.object({
  installed: z.boolean(),
  maintenance: z.boolean(),
  needsDbUpgrade: z.boolean(),
  version: z.string(),
  versionstring: z.string(),
  edition: z.string(),
  productname: z.string(),
  extendedSupport: z.boolean(),
});
