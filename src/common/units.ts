export const KIB = 1024;
export const MIB = 1024 * KIB;

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
