// summary: echoes console input in capitals, line by line, until the end-of-transmission byte
// expect: exit pass
// cores: picorv32 serv ibex picorv32-c ibex-c
// limit: 60000
// stdin: look back in anger\nthe 2nd line\n\n\x04
// console: type lines, end with ^D
// console: 1 [LOOK BACK IN ANGER]
// console: 2 [THE 2ND LINE]
// console: 3 []
// console: 3 lines, 30 letters and signs

#include "runtime.h"

#define END_OF_TRANSMISSION 4
#define LINE_BYTES 64

static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// Reads up to the line feed; what does not fit the line is dropped. False at the end of input.
static bool read_line(char *line)
{
    uint32_t length = 0;
    for (;;) {
        char c = console_get();
        if (c == END_OF_TRANSMISSION) {
            return false;
        }
        if (c == '\n') {
            line[length] = 0;
            return true;
        }
        if (length < LINE_BYTES - 1) {
            line[length++] = c;
        }
    }
}

int main(void)
{
    char line[LINE_BYTES];
    uint32_t lines = 0;
    uint32_t total = 0;
    print("type lines, end with ^D\n");
    while (read_line(line)) {
        for (char *c = line; *c; c++) {
            *c = capital(*c);
            total++;
        }
        printf("%u [%s]\n", ++lines, line);
    }
    printf("%u lines, %u letters and signs\n", lines, total);
    return 0;
}
