// summary: a light runs over the GPIO pins
// expect: exit pass
// runs-on: board
// cores: picorv32 serv ibex
// limit: 20000
// console: 32 pins lit one after the other

#include "runtime.h"

int main(void)
{
    uint32_t lit = 0;
    // What is on the input pins is the board's matter; it is read to be in the recording.
    volatile uint32_t input;
    for (uint32_t pins = 1; pins; pins <<= 1) {
        gpio_write(pins);
        lit += gpio_output() == pins;
        input = gpio_read();
    }
    (void)input;
    gpio_write(0);
    printf("%u pins lit one after the other\n", lit);
    return lit == 32 ? 0 : 1;
}
