/** The types of slots, and the numbers that apps send for them. Numbers of lists are 10 higher. */
export const SLOT_TYPE_NUMBERS = {
  Number: 0,
  Text: 1,
  Image: 2,
  Audio: 3,
  Video: 4,
  File: 5,
  Enum: 6,
  ListOfNumbers: 10,
  ListOfTexts: 11,
  ListOfImages: 12,
  ListOfAudios: 13,
  ListOfVideos: 14,
  ListOfFiles: 15,
} as const;

export type SlotType = keyof typeof SLOT_TYPE_NUMBERS;

/** One value of an input or output. */
export interface Slot {
  /** Shown to users. */
  readonly name: string;
  readonly description: string;
  readonly type: SlotType;
}

/** Slots by key, as values are sent. */
export type Shape = Readonly<Record<string, Slot>>;

/** One value that a slot of type Enum accepts. */
export interface EnumValue {
  readonly name: string;
  readonly value: string;
}

/** A kind of work, independent of who does it. */
export interface TaskType {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inputShape: Shape;
  readonly outputShape: Shape;
  /** Offered to other apps, not to users. */
  readonly isInternal: boolean;
}

const TYPE_OF_NUMBER = new Map<number, SlotType>(
  Object.entries(SLOT_TYPE_NUMBERS).map(([type, number]) => [number, type as SlotType]),
);

/** @returns undefined for a number that no type has */
export function slotTypeOf(number: number): SlotType | undefined {
  return TYPE_OF_NUMBER.get(number);
}
