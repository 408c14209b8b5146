export function showSignIn(app) {}
