/** The address to load a picture of a publisher from; null while it is not known. */
export function pictureAddress(address: string): string | null {
  return address;
}
