import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { SecretKeyService } from './secret-key.service.js';

/** Examines the secret key and sealed values, for `gatefold doctor`. */
@Injectable()
export class SecretChecks {
  constructor(
    checks: InstallationChecks,
    private readonly config: Config,
    private readonly secretBox: SecretBox,
    private readonly keys: SecretKeyService,
  ) {
    checks.add('Secrets', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const { secretKey } = this.config;
    const source = secretKey === undefined ? 'secret.key' : 'GATEFOLD_SECRET_KEY';
    const findings: CheckFinding[] = [
      await this.#fingerprint(`The secret key of ${source} (${this.secretBox.fingerprint})`),
    ];
    for (const { what, names, remedy } of await this.keys.lost()) {
      findings.push({
        state: 'error',
        text: `It does not open ${names.length} ${what}.`,
        advice: `"gatefold secrets:reset" lists them. ${remedy}`,
      });
    }
    return findings;
  }

  async #fingerprint(key: string): Promise<CheckFinding> {
    const known = await this.keys.knownFingerprint();
    if (known === null) {
      return { state: 'ok', text: `${key} will be that of the database.` };
    }
    return known === this.secretBox.fingerprint
      ? { state: 'ok', text: `${key} is that of the database.` }
      : {
          state: 'error',
          text: `${key} is not that of the database (${known}).`,
          advice: 'Restore that key. If it is lost: "gatefold secrets:reset".',
        };
  }
}
