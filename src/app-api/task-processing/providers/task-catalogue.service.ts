import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { NoticedChanges } from '../../../database/notices/noticed-changes.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import type { Registration } from '../../capabilities/capability.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { BUILT_IN_TYPES } from '../types/built-in.js';
import { slotTypeOf, type EnumValue, type Shape, type TaskType } from '../types/task-type.js';
import { TASK_PROVIDER, type TaskProviderFields } from './task-provider.js';
import { TaskTypeSettingsRepository } from './task-type-settings.repository.js';

type EnumValues = Readonly<Record<string, readonly EnumValue[]>>;
type Defaults = Readonly<Record<string, string | number>>;

/** A provider of an enabled app. */
export interface TaskProvider {
  /** Unique over all apps. */
  readonly id: string;
  readonly appId: string;
  readonly name: string;
  readonly typeId: string;
  readonly expectedSeconds: number;
  readonly optionalInputShape: Shape;
  readonly optionalOutputShape: Shape;
  readonly inputEnumValues: EnumValues;
  readonly optionalInputEnumValues: EnumValues;
  readonly outputEnumValues: EnumValues;
  readonly optionalOutputEnumValues: EnumValues;
  readonly inputDefaults: Defaults;
  readonly optionalInputDefaults: Defaults;
}

/** A task type that can be scheduled now. */
export interface AvailableType {
  readonly type: TaskType;
  /** The preferred provider, which gets all tasks of the type. */
  readonly provider: TaskProvider;
}

/** A task type as administrators see it: also switched off, or without a provider. */
export interface KnownType {
  readonly type: TaskType;
  readonly enabled: boolean;
  /** Oldest registration first. */
  readonly providers: readonly TaskProvider[];
  /** Null without a provider. */
  readonly preferred: TaskProvider | null;
}

/** Announced by triggers on registrations, apps and settings. */
const CHANNEL = 'gatefold_task_catalogue';

/** Bounds staleness if the connection for notices is lost without being closed. */
const TRUSTED_SECONDS = 30;

interface Kept {
  readonly types: readonly KnownType[];
  readonly untilSeconds: number;
}

/**
 * The task types and their providers. Cached until the database announces a change; read each time while no
 * notices are received.
 */
@Injectable()
export class TaskCatalogue {
  readonly #changes: NoticedChanges;
  #kept: Kept | undefined;

  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly settings: TaskTypeSettingsRepository,
    private readonly clock: Clock,
    notices: DatabaseNotices,
    apps: ExAppsRepository,
  ) {
    this.#changes = new NoticedChanges(notices, CHANNEL, () => (this.#kept = undefined));
    // Clears the cache at once in this process: an app may ask for its own new registration.
    registrations.onChange(() => this.#changes.note(null));
    apps.onChange(() => this.#changes.note(null));
    settings.onChange(() => this.#changes.note(null));
  }

  /** Types that are enabled and have a provider of an enabled app, by id. */
  async available(): Promise<ReadonlyMap<string, AvailableType>> {
    const types = new Map<string, AvailableType>();
    for (const { type, enabled, preferred } of await this.all()) {
      if (enabled && preferred !== null) {
        types.set(type.id, { type, provider: preferred });
      }
    }
    return types;
  }

  /** A type with the provider that claimed a task of it; null if that is not registered any more. */
  async assigned(typeId: string, providerId: string | null): Promise<AvailableType | null> {
    const known = (await this.all()).find(({ type }) => type.id === typeId);
    const provider = known?.providers.find(({ id }) => id === providerId);
    return known === undefined || provider === undefined ? null : { type: known.type, provider };
  }

  /** Built-in types, then types that providers registered. */
  async all(): Promise<readonly KnownType[]> {
    if (this.#kept !== undefined && this.clock.nowSeconds() < this.#kept.untilSeconds) {
      return this.#kept.types;
    }
    const changesBefore = this.#changes.count;
    const types = await this.#read();
    if (this.#changes.areNoneSince(changesBefore)) {
      this.#kept = { types, untilSeconds: this.clock.nowSeconds() + TRUSTED_SECONDS };
    }
    return types;
  }

  async #read(): Promise<readonly KnownType[]> {
    const [registered, settings] = await Promise.all([
      this.registrations.ofEnabledApps(TASK_PROVIDER),
      this.settings.all(),
    ]);
    const types = new Map(BUILT_IN_TYPES.map((type) => [type.id, type]));
    const providers = new Map<string, TaskProvider>();
    for (const registration of registered) {
      const provider = toProvider(registration);
      // The first app that registered an id has it.
      if (!providers.has(provider.id)) {
        providers.set(provider.id, provider);
        const brought = toCustomType(registration.fields);
        if (brought !== null && !types.has(brought.id)) {
          types.set(brought.id, brought);
        }
      }
    }
    return [...types.values()].map((type) => {
      const able = [...providers.values()].filter(({ typeId }) => typeId === type.id);
      const setting = settings.get(type.id);
      const preferred = able.find(({ id }) => id === setting?.providerId) ?? able[0] ?? null;
      return { type, enabled: setting?.enabled ?? true, providers: able, preferred };
    });
  }
}

function toProvider({ appId, fields }: Registration<TaskProviderFields>): TaskProvider {
  const { provider } = fields;
  return {
    id: provider.id,
    appId,
    name: provider.name,
    typeId: provider.task_type,
    expectedSeconds: provider.expected_runtime,
    optionalInputShape: toShape(provider.optional_input_shape),
    optionalOutputShape: toShape(provider.optional_output_shape),
    inputEnumValues: provider.input_shape_enum_values,
    optionalInputEnumValues: provider.optional_input_shape_enum_values,
    outputEnumValues: provider.output_shape_enum_values,
    optionalOutputEnumValues: provider.optional_output_shape_enum_values,
    inputDefaults: provider.input_shape_defaults,
    optionalInputDefaults: provider.optional_input_shape_defaults,
  };
}

function toCustomType({ customTaskType }: TaskProviderFields): TaskType | null {
  if (customTaskType === null) {
    return null;
  }
  const { id, name, description, input_shape: input, output_shape: output } = customTaskType;
  const shapes = { inputShape: toShape(input), outputShape: toShape(output) };
  return { id, name, description, ...shapes, isInternal: false };
}

/** The key of a slot is its name. */
function toShape(slots: TaskProviderFields['provider']['optional_input_shape']): Shape {
  return Object.fromEntries(
    slots.map(({ name, description, shape_type: number }) => [
      name,
      // The number was checked when it was registered.
      { name, description, type: slotTypeOf(number) ?? 'Text' },
    ]),
  );
}
