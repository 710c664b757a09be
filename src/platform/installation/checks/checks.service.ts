import { Injectable } from '@nestjs/common';
import {
  InstallationChecks,
  type CheckedSubject,
} from '../../../common/ports/installation-checks.js';

/** Examines the installation, once for all who ask at the same time. */
@Injectable()
export class ChecksService {
  #underWay: Promise<readonly CheckedSubject[]> | undefined;

  constructor(private readonly checks: InstallationChecks) {}

  async run(): Promise<readonly CheckedSubject[]> {
    this.#underWay ??= this.checks.run().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }
}
