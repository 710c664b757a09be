// Preloaded into a service: on SIGUSR2 first a warning of Node.js, then an error that nothing catches.
import process from 'node:process';

let signals = 0;
process.on('SIGUSR2', () => {
  signals += 1;
  if (signals === 1) {
    process.emitWarning('An option is deprecated.', 'DeprecationWarning');
  } else {
    throw new RangeError('Nobody catches this.');
  }
});
