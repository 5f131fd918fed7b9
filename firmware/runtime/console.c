// Console over the 16550 UART, by polling, and the little of printf that the programs need.

#include <stdarg.h>

#include "mmio.h"
#include "runtime.h"

void console_put(char c)
{
    while (!(UART_LINE_STATUS & UART_TRANSMIT_EMPTY)) {
    }
    UART_DATA = (uint8_t)c;
}

char console_get(void)
{
    while (!(UART_LINE_STATUS & UART_DATA_READY)) {
    }
    return (char)UART_DATA;
}

void print(const char *text)
{
    while (*text) {
        console_put(*text++);
    }
}

static void print_number(uint32_t value, uint32_t base, int width, char fill)
{
    char digits[10];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (width-- > count) {
        console_put(fill);
    }
    while (count) {
        console_put(digits[--count]);
    }
}

static void print_signed(int32_t value, int width, char fill)
{
    uint32_t magnitude = (uint32_t)value;
    if (value < 0) {
        console_put('-');
        magnitude = -magnitude;
        width--;
    }
    print_number(magnitude, 10, width, fill);
}

void printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            console_put(*format);
            continue;
        }
        format++;
        char fill = *format == '0' ? '0' : ' ';
        int width = 0;
        while (*format >= '0' && *format <= '9') {
            width = width * 10 + (*format++ - '0');
        }
        switch (*format) {
        case 'd':
            print_signed(va_arg(arguments, int32_t), width, fill);
            break;
        case 'u':
            print_number(va_arg(arguments, uint32_t), 10, width, fill);
            break;
        case 'x':
            print_number(va_arg(arguments, uint32_t), 16, width, fill);
            break;
        case 's':
            print(va_arg(arguments, const char *));
            break;
        case 'c':
            console_put((char)va_arg(arguments, int));
            break;
        default:
            console_put(*format);
        }
    }
    va_end(arguments);
}
