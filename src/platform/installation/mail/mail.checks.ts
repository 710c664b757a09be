import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { MailServer } from './mail-server.service.js';
import { MailSettings } from './mail.settings.js';

const ADVICE = 'Check GATEFOLD_SMTP_URL, the network to the server, and its log.';

/** Examines the mail server, for `gatefold doctor`. */
@Injectable()
export class MailChecks {
  constructor(
    private readonly server: MailServer,
    private readonly config: Config,
    private readonly settings: MailSettings,
    private readonly address: PublicAddress,
    checks: InstallationChecks,
  ) {
    checks.add('Mail', () => this.#examine());
  }

  /** Sends a mail at once. Its text is in English, since it is for operators. */
  async sendTrial(to: string): Promise<CheckFinding> {
    const message = {
      to,
      subject: `A trial of ${this.address.root}`,
      text: `The service at\n\n${this.address.root}\n\ncan send mails.`,
    };
    try {
      const answer = await this.server.deliver(message);
      return { state: 'ok', text: `The server took a mail for ${to}: ${answer}` };
    } catch (error) {
      return {
        state: 'error',
        text: `The mail for ${to} was not taken: ${(error as Error).message}`,
        advice: ADVICE,
      };
    }
  }

  async #examine(): Promise<CheckFinding[]> {
    if (!this.server.isConfigured) {
      const text =
        'No mail is sent: there are no invitations, and users cannot reset their password.';
      return [{ state: 'off', text }];
    }
    return [await this.#greet(), ...this.#address()];
  }

  async #greet(): Promise<CheckFinding> {
    const { name } = this.server;
    try {
      await this.server.greet();
      const text = `The mail server ${name} answers${this.settings.server?.login === undefined ? '' : ', and accepts the password'}.`;
      return { state: 'ok', text };
    } catch (error) {
      const text = `The mail server ${name} does not accept the service: ${(error as Error).message}`;
      return { state: 'error', text, advice: ADVICE };
    }
  }

  #address(): CheckFinding[] {
    return this.config.baseUrl === undefined
      ? [
          {
            state: 'warning',
            text: `Links in mails lead to ${this.address.root}.`,
            advice: 'Set GATEFOLD_BASE_URL to the public address.',
          },
        ]
      : [];
  }
}
