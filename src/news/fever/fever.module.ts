import { Module } from '@nestjs/common';
import { NewsModule } from '../news.module.js';
import { FeverAnswers } from './fever-answers.js';
import { FeverListsService } from './fever-lists.service.js';
import { FeverMarksService } from './fever-marks.service.js';
import { FeverController } from './fever.controller.js';
import { FeverRepository } from './fever.repository.js';

/**
 * The Fever API, for clients that know no other.
 *
 * @see docs/fever-api.md
 */
@Module({
  imports: [NewsModule],
  controllers: [FeverController],
  providers: [FeverRepository, FeverAnswers, FeverListsService, FeverMarksService],
})
export class FeverModule {}
