// Package outside deals with what runs outside of this program and answers it:
// child processes and HTTP services. It finds programs, keeps processes together
// so that none is left behind, tells when a busy service may be asked again, and
// makes their words fit for messages.
package outside
