import { HttpModule } from '@nestjs/axios';
import { Global, Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.js';
import { OutgoingStream } from './outgoing-stream.js';

/** Provides `OutgoingHttp` and `OutgoingStream` to all modules. */
@Global()
@Module({
  imports: [HttpModule],
  providers: [OutgoingHttp, OutgoingStream],
  exports: [OutgoingHttp, OutgoingStream],
})
export class OutgoingHttpModule {}
