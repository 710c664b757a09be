import { SetMetadata, type ExecutionContext } from '@nestjs/common';

const MIB = 1024 * 1024;

/** What routes take from users and external apps unless they say otherwise. */
export const USUAL_BODY_BYTES = MIB;

/** Room for the flags of ten thousand items in one request, and for large values of apps. */
const LARGE_BODY_BYTES = 10 * MIB;

const LARGEST_BODY = 'gatefold:largest-body-bytes';

/** For a route or a controller whose JSON or form may be as large as 10 MiB, from known senders. */
export const TakesLargeBodies = (): ClassDecorator & MethodDecorator =>
  SetMetadata(LARGEST_BODY, LARGE_BODY_BYTES);

/** How many bytes of JSON or form the route takes from a known sender. */
export function largestBodyOf(context: ExecutionContext): number {
  const said = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(LARGEST_BODY, target) as number | undefined,
  );
  return said.find((bytes) => bytes !== undefined) ?? USUAL_BODY_BYTES;
}
