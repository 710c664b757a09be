import { Injectable } from '@nestjs/common';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { NOTICE_JOBS } from './notices.repository.js';

/** What users are told, and were told. */
@Injectable()
export class NoticesService {
  constructor(private readonly jobs: JobQueue) {}

  /** Begins to send at once what `NoticesRepository.put` stored. Call after the commit. */
  wake(): void {
    this.jobs.wake(NOTICE_JOBS, NOTICE_JOBS.parallel);
  }
}
