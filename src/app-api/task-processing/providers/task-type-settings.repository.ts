import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';

/** An administrator's settings of a task type; types without a row are enabled. */
export class TaskTypeSettingEntity extends entityOf('task_type_setting', {
  type: p.text().primary(),
  enabled: p.boolean().defaultRaw('true'),
  /** The preferred provider; null for the first one that was registered. */
  providerId: p.text().strictNullable(),
}) {}

interface TaskTypeSetting {
  readonly enabled: boolean;
  /** The preferred provider; null for the first one that was registered. */
  readonly providerId: string | null;
}

/** Administrators' settings of task types. */
@Injectable()
export class TaskTypeSettingsRepository {
  #onChange: () => void = () => {};

  constructor(private readonly database: Database) {}

  /** @param listener called after each change by this process */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Settings by type; types without any are absent. */
  async all(): Promise<ReadonlyMap<string, TaskTypeSetting>> {
    const rows = await this.database.entities((em) => em.find(TaskTypeSettingEntity, {}));
    return new Map(rows.map(({ type, enabled, providerId }) => [type, { enabled, providerId }]));
  }

  async save(type: string, setting: TaskTypeSetting): Promise<void> {
    await this.database.entities((em) =>
      em.upsert(TaskTypeSettingEntity, { type, ...setting }, { onConflictFields: ['type'] }),
    );
    this.#onChange();
  }
}
