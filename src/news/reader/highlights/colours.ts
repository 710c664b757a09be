/** Of highlights; the first one unless another is chosen. */
export const COLOURS = ['yellow', 'green', 'blue', 'pink'] as const;

export type Colour = (typeof COLOURS)[number];
