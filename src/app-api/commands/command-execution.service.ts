import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingStream } from '../../common/http/outgoing-stream.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { gatewayHeaders } from '../client/gateway-headers.js';
import type { Registration } from '../capabilities/capability.js';
import { OCC_COMMAND, type OccCommandFields } from '../capabilities/occ-command.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { CommandFailed } from '../traffic.errors.js';

export type ExAppCommand = Registration<OccCommandFields>;

/** What was typed after the name of a command; null for what the command knows nothing of. */
export interface CommandValues {
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly options: Readonly<Record<string, unknown>> | null;
}

/** Commands of apps, for the operator's command line. */
@Injectable()
export class CommandExecutionService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly outgoing: OutgoingStream,
  ) {}

  /** Those of enabled apps, hidden ones too; of several with one name the oldest. */
  async list(): Promise<ExAppCommand[]> {
    const found = await this.registrations.ofEnabledApps(OCC_COMMAND);
    const byName = new Map(found.reverse().map((command) => [command.fields.name, command]));
    return [...byName.values()].sort((a, b) => a.fields.name.localeCompare(b.fields.name));
  }

  /**
   * Has the app carry the command out, for as long as it takes.
   *
   * @returns what the command prints, as it comes
   * @throws CommandFailed when the app cannot be reached or does not answer with 200
   */
  async run({ appId, fields }: ExAppCommand, values: CommandValues): Promise<IncomingMessage> {
    const app = await this.apps.find(appId);
    if (app === null) {
      throw new ExAppNotFound(appId);
    }
    const body = JSON.stringify({ occ: values });
    try {
      const answer = await this.outgoing.open({
        baseUrl: app.baseUrl,
        path: `/${fields.executeHandler}`,
        method: 'POST',
        headers: {
          accept: '*/*',
          'accept-language': 'en',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          ...gatewayHeaders(app, '', randomUUID()),
        },
        body,
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
}
