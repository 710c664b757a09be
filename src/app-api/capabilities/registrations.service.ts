import { Injectable } from '@nestjs/common';
import { RegistrationNotFound } from '../app-api.errors.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import type { Capability, Registration, RegistrationKind } from './capability.js';
import { RegistrationsRepository } from './registrations.repository.js';

/** Registers, finds and removes an external app's contributions to the host. */
@Injectable()
export class RegistrationsService {
  readonly #hooks = new Map<RegistrationKind, (key: string) => Promise<void>>();
  readonly #warners = new Map<RegistrationKind, (appId: string) => Promise<string[]>>();

  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly log: ExAppLog,
  ) {}

  /** Makes `warningsOf` look at registrations of this kind. */
  declare<Fields>(capability: Capability<Fields>): void {
    this.#warners.set(capability.kind, async (appId) =>
      (await this.registrations.ofApp(appId, capability)).flatMap(({ fields }) => {
        // Fields of an earlier version may lack some.
        const { data } = capability.input.safeParse(fields);
        return (data && capability.warningsOf?.(data, appId)) ?? [];
      }),
    );
  }

  /** What the app has registered without effect; one sentence each. */
  async warningsOf(appId: string): Promise<string[]> {
    return (await Promise.all([...this.#warners.values()].map((find) => find(appId)))).flat();
  }

  /** @param hook runs after each registration of that kind, before its answer */
  onRegistered(
    { kind }: { readonly kind: RegistrationKind },
    hook: (key: string) => Promise<void>,
  ): void {
    this.#hooks.set(kind, hook);
  }

  /** Overwrites all fields of a registration with the same key and keeps its id. Logs what has no effect. */
  async register<Fields>(
    appId: string,
    capability: Capability<Fields>,
    fields: Fields,
  ): Promise<void> {
    const key = capability.keyOf(fields);
    await this.registrations.save(appId, capability.kind, key, fields);
    await this.#hooks.get(capability.kind)?.(key);
    for (const warning of capability.warningsOf?.(fields, appId) ?? []) {
      this.log.warnOnce(appId, warning);
    }
  }

  /** @throws RegistrationNotFound */
  async find<Fields>(
    appId: string,
    capability: Capability<Fields>,
    key: string,
  ): Promise<Registration<Fields>> {
    const found = await this.registrations.find(appId, capability, key);
    if (found === null) {
      throw new RegistrationNotFound(capability.missing);
    }
    return found;
  }

  /** @throws RegistrationNotFound */
  async unregister<Fields>(
    appId: string,
    { kind, missing, mayBeMissing, pageKeyPrefix }: Capability<Fields>,
    key: string,
  ): Promise<void> {
    const removed =
      pageKeyPrefix === undefined
        ? await this.registrations.remove(appId, kind, key)
        : await this.registrations.removeTopMenu(appId, key, pageKeyPrefix(key));
    if (!removed && mayBeMissing !== true) {
      throw new RegistrationNotFound(missing);
    }
  }
}
