/// <reference types="vite/client" />

/** A style sheet as a file of its own, not shared with other pages. */
declare module '*.css?framed';
