import { Injectable } from '@nestjs/common';
import { RegistrationNotFound } from '../app-api.errors.js';
import { keyOf, type FieldsOfKind } from './registration-fields.js';
import {
  RegistrationsRepository,
  type Registration,
  type RegistrationKind,
} from './registrations.repository.js';

/** The protocol's own words where it has any; clients show them. */
const MISSING: Readonly<Record<RegistrationKind, string>> = {
  top_menu: 'No such Top Menu entry',
  initial_state: 'No such InitialState',
  script: 'No such Script',
  style: 'No such Style',
  file_action: 'FileActionMenu not found',
  settings_form: 'No such settings form',
  occ_command: 'No such command',
  translation: 'No such translation provider',
  text_processing: 'No such text-processing provider',
  speech_to_text: 'No such speech-to-text provider',
  events_listener: 'No such event listener',
  talk_bot: 'Talk bots could not be unregistered',
};

/** What external apps announce of themselves, each app for itself. */
@Injectable()
export class RegistrationsService {
  constructor(private readonly registrations: RegistrationsRepository) {}

  /** Announcing the same thing again replaces all its fields and keeps its id. */
  async register<Kind extends RegistrationKind>(
    appId: string,
    kind: Kind,
    key: string,
    fields: FieldsOfKind[Kind],
  ): Promise<void> {
    await this.registrations.save(appId, kind, key, fields);
  }

  /** @throws RegistrationNotFound when this app has not announced it; so does `unregister` */
  async find<Kind extends RegistrationKind>(
    appId: string,
    kind: Kind,
    key: string,
  ): Promise<Registration<FieldsOfKind[Kind]>> {
    const found = await this.registrations.find<FieldsOfKind[Kind]>(appId, kind, key);
    if (found === null) {
      throw new RegistrationNotFound(MISSING[kind]);
    }
    return found;
  }

  async unregister(appId: string, kind: RegistrationKind, key: string): Promise<void> {
    if (!(await this.registrations.remove(appId, kind, key))) {
      throw new RegistrationNotFound(MISSING[kind]);
    }
  }

  /** Takes what belongs to the entry's page along: initial states, scripts and styles. */
  async unregisterTopMenu(appId: string, name: string): Promise<void> {
    const pageResources = keyOf('top_menu', name, '');
    if (!(await this.registrations.removeTopMenu(appId, name, pageResources))) {
      throw new RegistrationNotFound(MISSING.top_menu);
    }
  }
}
