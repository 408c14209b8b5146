// What measures the text of a field, and what shows the carets of others over it. binding.js loads this part after the
// first text has appeared, so that a first visit over a slow line does not wait for it.
export { Mirror } from './mirror.js'
export { Overlay } from './overlay.js'
