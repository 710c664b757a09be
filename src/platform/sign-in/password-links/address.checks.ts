import { Injectable } from '@nestjs/common';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { MailServer } from '../../installation/mail/mail-server.service.js';
import { PasswordLinksRepository } from './password-links.repository.js';

/** Reports addresses that get no links for passwords to administrators, for `gatefold doctor`. */
@Injectable()
export class AddressChecks {
  constructor(
    private readonly links: PasswordLinksRepository,
    private readonly mail: MailServer,
    checks: InstallationChecks,
  ) {
    checks.add('Mail addresses', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    if (!this.mail.isConfigured) {
      return [];
    }
    const count = await this.links.countUnconfirmed();
    return count === 0
      ? [{ state: 'ok', text: 'The address of each account is confirmed.' }]
      : [
          {
            state: 'warning',
            text: `Accounts that get no mails for forgotten passwords, since their address is not confirmed: ${count}.`,
            advice:
              'Their owners save the address again in their profile, with their password; or an administrator runs gatefold user:confirm-email NAME.',
          },
        ];
  }
}
