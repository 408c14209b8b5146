export const cases = {}
