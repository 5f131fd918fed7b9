// What firmware can say to the recorder beside its core; it stands alone, so that any project can take
// it as it is.

#ifndef LOOKBACK_H
#define LOOKBACK_H

// Fires the trigger of a flight recorder (`lookback record --arm --trigger call`): an instruction that
// does nothing, on any RISC-V core, with a recorder or without.
static inline void lookback_trigger(void)
{
    __asm__ volatile("slti x0, x0, 1");
}

#endif
