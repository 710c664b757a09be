import { HttpModule } from '@nestjs/axios';
import { Global, Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.js';

/** Makes the one outbound client injectable everywhere, and the library behind it nowhere. */
@Global()
@Module({
  imports: [HttpModule],
  providers: [OutgoingHttp],
  exports: [OutgoingHttp],
})
export class OutgoingHttpModule {}
