// summary: a trap whose handler is not there, so that the hart can only stop
// expect: lockup
// runs-on: board
// limit: 5000
// bug: start_application
// console: starting the application

#include "runtime.h"

struct application {
    void (*on_trap)(void);
    const uint32_t *settings;
};

// The loader left this empty.
static volatile struct application application;

static void start_application(void)
{
    // The bug: nobody checks that there is an application before the trap vector is given to it.
    csr_write(mtvec, application.on_trap);
    if (*application.settings) {
        print("settings found\n");
    }
}

int main(void)
{
    print("starting the application\n");
    start_application();
    return 0;
}
