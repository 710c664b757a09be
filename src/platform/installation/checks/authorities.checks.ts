import { Injectable } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { certificatesOf } from '../../../common/config/authorities.js';
import { Config } from '../../../common/config/config.js';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { DAY_SECONDS } from '../../../common/units.js';

const SOON_SECONDS = 30 * DAY_SECONDS;

/** Reports the bundles of private authorities, and which of their certificates end soon. */
@Injectable()
export class AuthoritiesCheck {
  constructor(
    checks: InstallationChecks,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    checks.add('Private authorities', async () => [
      ...this.#examine('GATEFOLD_CA_FILE', this.config.caFile?.file),
      ...this.#examine('NODE_EXTRA_CA_CERTS', process.env['NODE_EXTRA_CA_CERTS']),
    ]);
  }

  #examine(setting: string, file: string | undefined): CheckFinding[] {
    if (!file) {
      return [];
    }
    const certificates = certificatesOf(file).map((pem) => new X509Certificate(pem));
    if (certificates.length === 0) {
      const text = `${setting} names ${file}, which has no certificates that can be read.`;
      return [{ state: 'error', text, advice: 'It must be a PEM file that the service may read.' }];
    }
    const now = this.clock.nowSeconds();
    const secondsLeft = ({ validTo }: X509Certificate) => Date.parse(validTo) / 1000 - now;
    const ended = certificates.filter((one) => secondsLeft(one) <= 0).length;
    const endingSoon = certificates.filter(
      (one) => secondsLeft(one) > 0 && secondsLeft(one) < SOON_SECONDS,
    );
    const count = certificates.length === 1 ? 'certificate' : 'certificates';
    const text = `${setting} names ${file} with ${certificates.length} ${count} of authorities`;
    return [
      { state: 'ok', text: ended === 0 ? `${text}.` : `${text}, of which ${ended} have ended.` },
      ...endingSoon.map(({ subject, validTo }) => describeEnd(setting, subject, new Date(validTo))),
    ];
  }
}

function describeEnd(setting: string, subject: string, ends: Date): CheckFinding {
  const name = subject.replaceAll('\n', ', ');
  return {
    state: 'warning',
    text: `The certificate of the authority ${name} ends on ${ends.toISOString().slice(0, 10)}.`,
    advice: `Put its successor into ${setting} beside it, and restart the service.`,
  };
}
