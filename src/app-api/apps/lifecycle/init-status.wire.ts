import { z } from 'zod';

export const EmptyListAnswer = z.array(z.unknown()).max(0);
