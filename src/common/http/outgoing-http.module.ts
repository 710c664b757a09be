import { HttpModule } from '@nestjs/axios';
import { Global, Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.js';
import { OutgoingStream } from './outgoing-stream.js';

/** Makes the way out, whole and streamed, injectable everywhere, the library behind it nowhere. */
@Global()
@Module({
  imports: [HttpModule],
  providers: [OutgoingHttp, OutgoingStream],
  exports: [OutgoingHttp, OutgoingStream],
})
export class OutgoingHttpModule {}
