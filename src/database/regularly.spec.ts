import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import { DatabaseUnavailable } from './database-unavailable.js';
import { Regularly } from './regularly.js';

class Work {
  readonly errors: Error[] = [];
  runs = 0;

  @Regularly('work', 60)
  async run(): Promise<void> {
    this.runs += 1;
    const error = this.errors.shift();
    if (error !== undefined) {
      throw error;
    }
  }
}

@Module({ providers: [Work] })
class WorkModule {}

const app = await NestFactory.createApplicationContext(WorkModule, { logger: false });
const work = app.get(Work);

it('regular work is done by a process that listens, and not by a command', async () => {
  await work.run();
  expect(work.runs).toBe(0);

  app.get(HttpAdapterHost).listening = true;
  await work.run();
  expect(work.runs).toBe(1);
});

it('regular work ends silently while the database is away, and with other errors', async () => {
  work.errors.push(new DatabaseUnavailable('busy'), new Error('a fault'));

  await expect(work.run()).resolves.toBeUndefined();
  await expect(work.run()).rejects.toThrow('a fault');
});
