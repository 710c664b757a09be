import { Subject } from '../../../common/subjects/subject.js';
import { FileQuotaEntity, QuotasRepository } from './quotas.repository.js';
import { Quotas } from './quotas.service.js';

/** Storage quotas of users. */
@Subject({
  providers: [Quotas, QuotasRepository],
  exports: [Quotas],
  entities: [FileQuotaEntity],
})
export class FileQuotasModule {}
