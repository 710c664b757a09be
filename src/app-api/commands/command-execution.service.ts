import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingStream } from '../../common/http/outgoing-stream.js';
import { CommandFailed, ExAppNotFound } from '../app-api.errors.js';
import { gatewayHeaders, withEitherSecret } from '../apps/client/gateway-headers.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import type { Registration } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { OCC_COMMAND, type OccCommandFields, ownNameOf } from './occ-command.js';

export type ExAppCommand = Registration<OccCommandFields>;

/** Parsed arguments and options; null if the command has none. */
export interface CommandValues {
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Commands of apps (`occ_command`). */
@Injectable()
export class CommandExecutionService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly outgoing: OutgoingStream,
  ) {}

  /**
   * Commands of enabled apps, including hidden ones, by the names they are called by. A name without the
   * app's prefix is kept as long as its prefix is no other app's id, and no other app has that name.
   */
  async list(): Promise<ExAppCommand[]> {
    const found = await this.registrations.ofEnabledApps(OCC_COMMAND);
    const appIds = new Set(await this.apps.ids());
    const isFree = ({ appId, fields: { name } }: ExAppCommand) =>
      name.indexOf(':') > 0 &&
      !appIds.has(name.slice(0, name.indexOf(':'))) &&
      found.every((other) => other.appId === appId || other.fields.name !== name);
    const named = found.map((command) => {
      const { appId, fields } = command;
      const name = isFree(command) ? fields.name : ownNameOf(appId, fields.name);
      return { ...command, fields: { ...fields, name } };
    });
    const byName = new Map(named.reverse().map((command) => [command.fields.name, command]));
    return [...byName.values()].sort((a, b) => a.fields.name.localeCompare(b.fields.name));
  }

  /**
   * Executes a command in its app, without a timeout.
   *
   * @returns the output, as a stream
   * @throws CommandFailed if the app cannot be reached or does not respond with 200
   */
  async run({ appId, fields }: ExAppCommand, values: CommandValues): Promise<IncomingMessage> {
    const app = ExAppNotFound.unless(await this.apps.find(appId), appId);
    const body = JSON.stringify({ occ: values });
    try {
      const answer = await withEitherSecret(this.apps, app, {
        send: (secret) => this.#ask(app, fields.executeHandler, body, secret),
        statusOf: ({ statusCode }) => statusCode,
        discard: (refusal) => refusal.destroy(),
      });
      if (answer.statusCode === 200) {
        return answer;
      }
      answer.destroy();
      throw new CommandFailed(fields.name, `the app answered with status ${answer.statusCode}.`);
    } catch (error) {
      throw error instanceof OutgoingHttpError
        ? new CommandFailed(fields.name, error.message)
        : error;
    }
  }

  #ask(app: ExApp, handler: string, body: string, secret: string): Promise<IncomingMessage> {
    return this.outgoing.open({
      baseUrl: app.baseUrl,
      path: `/${handler}`,
      method: 'POST',
      headers: {
        accept: '*/*',
        'accept-language': 'en',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...gatewayHeaders(app, '', randomUUID(), secret),
      },
      body,
    });
  }
}
