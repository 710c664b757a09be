import { ForbiddenException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { LimitReached } from '../../../common/errors/limit-reached.js';
import { userAgentOf } from '../../../common/http/client-name.js';
import { readFields, type Fields } from '../../../common/http/read-fields.js';
import { ProgramLogins } from '../../../common/ports/program-logins.js';
import { LogInFields } from '../http/form-fields.input.js';
import { ANONYMOUS_FORM_BYTES } from '../http/google-login.guard.js';
import { OpenGoogleReaderController } from '../http/google-reader-controller.decorator.js';

/** Libraries and systems, which do not identify the program. */
const LIBRARY =
  /^(?:okhttp|dart|cfnetwork|darwin|java|dalvik|ktor(?:-client)?|apache-httpclient|libcurl|curl|node|undici|axios|got|python(?:-requests|-httpx|-urllib)?|aiohttp|go-http-client|reqwest|qt)(?:\/[\d.]*)?$/i;

const TokensAnswer = z.object({ SID: z.string(), LSID: z.string(), Auth: z.string() });

/**
 * The log-in of programs: a user name and a password for a token.
 *
 * @see docs/google-reader-api.md "Log in"
 */
@OpenGoogleReaderController(['accounts', 'reader/api/0/accounts'])
@WorksOnFullDisk()
export class LogInController {
  constructor(private readonly logins: ProgramLogins) {}

  @Get('ClientLogin', 'Exchanges a name and a password for a token.', TokensAnswer, {
    input: LogInFields,
    otherForms: [new Media('text/plain', '`Auth=TOKEN`, and the same as SID and LSID.')],
  })
  async byQuery(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#logIn(request, response);
  }

  @ApiPost('ClientLogin', 'Exchanges a name and a password for a token.', TokensAnswer, {
    input: LogInFields,
    otherForms: [new Media('text/plain', '`Auth=TOKEN`, and the same as SID and LSID.')],
  })
  async byForm(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#logIn(request, response);
  }

  async #logIn(request: Request, response: Response): Promise<void> {
    const fields = await readFields(request, ANONYMOUS_FORM_BYTES);
    const token = await this.#tokenFor(request, fields);
    if (token === null) {
      response.status(401).type('text/plain; charset=utf-8').send('Error=BadAuthentication\n');
      return;
    }
    if (fields.one('output') === 'json') {
      response.json({ SID: token, LSID: token, Auth: token });
      return;
    }
    response.type('text/plain; charset=utf-8').send(`SID=${token}\nLSID=${token}\nAuth=${token}\n`);
  }

  /** @returns null for wrong credentials, and without any */
  async #tokenFor(request: Request, fields: Fields): Promise<string | null> {
    const [userId, password] = [fields.one('Email'), fields.one('Passwd')];
    if (userId === undefined || password === undefined) {
      return null;
    }
    try {
      const loggedIn = await this.logins.logIn(
        { userId, password, clientAddress: request.ip ?? '' },
        programNameOf(request, fields),
      );
      return loggedIn?.token ?? null;
    } catch (error) {
      if (error instanceof LimitReached) {
        throw new ForbiddenException(error.message);
      }
      throw error;
    }
  }
}

/**
 * Name of a program: its user agent, or if that is only a library, the field `client` or `source`, with
 * which programs of Google's API introduced themselves.
 * @returns header form, with bytes as characters
 */
export function programNameOf(request: Pick<Request, 'headers'>, fields: Fields): string {
  const agent = request.headers['user-agent'] ?? '';
  const words = userAgentOf(request)
    .replace(/\([^)]*\)?/g, '')
    .split(/\s+/);
  if (!words.every((word) => word === '' || LIBRARY.test(word))) {
    return agent;
  }
  const name = [fields.one('client'), fields.one('source')].find((given) => given?.trim());
  return name === undefined ? agent : Buffer.from(name.trim()).toString('latin1');
}
