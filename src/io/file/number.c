#include "io/file/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Powers of ten that a double holds exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum
{
    MAX_EXPONENT = 100000, /* beyond the reach of any double; keeps sums of exponents small */
    MAX_DIGITS = 19        /* that fit 64 bits */
};

typedef struct decimal
{
    uint64_t digits;
    int count;     /* digits held, without leading zeros */
    int64_t shift; /* the value is digits x 10^shift */
    bool rest;     /* a digit that is not 0 was dropped */
} decimal;

static void add_digit(decimal *number, unsigned digit, bool fraction)
{
    if (number->count < MAX_DIGITS)
    {
        number->digits = number->digits * 10 + digit;
        number->count += number->digits != 0;
        number->shift -= fraction;
    }
    else
    {
        number->rest |= digit != 0;
        number->shift += !fraction;
    }
}

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static double decimal_value(const decimal *number)
{
    /* One exact integer and one exact power: a single rounding. */
    if (number->digits <= (UINT64_C(1) << 53) && !number->rest && number->shift >= -22 && number->shift <= 22)
    {
        double digits = (double)number->digits;
        return number->shift < 0 ? digits / powers[-number->shift] : digits * powers[number->shift];
    }
    if (number->digits == 0)
    {
        return 0;
    }
    /* No decimal point in this text, so the locale does not matter. What was dropped counts as one more digit. */
    char text[64];
    int64_t shift = number->shift;
    shift = shift > MAX_EXPONENT ? MAX_EXPONENT : shift < -MAX_EXPONENT ? -MAX_EXPONENT : shift;
    snprintf(text, sizeof text, "%llu%se%lld", (unsigned long long)number->digits, number->rest ? "1" : "",
             (long long)(shift - number->rest));
    return strtod(text, NULL);
}

size_t pl_number_parse(const char *text, size_t length, double *value)
{
    const char *at = text;
    const char *end = text + length;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    decimal number = {0};
    const char *first = at;
    for (; is_digit(at, end); ++at)
    {
        add_digit(&number, (unsigned)(*at - '0'), false);
    }
    bool any = at > first;
    if (at < end && *at == '.')
    {
        first = ++at;
        for (; is_digit(at, end); ++at)
        {
            add_digit(&number, (unsigned)(*at - '0'), true);
        }
        any |= at > first;
    }
    if (!any)
    {
        return 0;
    }
    if (at < end && (*at == 'e' || *at == 'E'))
    {
        const char *sign = at + 1;
        const char *digits = sign + (sign < end && (*sign == '-' || *sign == '+'));
        int64_t exponent = 0;
        for (at = is_digit(digits, end) ? digits : at; is_digit(at, end); ++at)
        {
            exponent = exponent < MAX_EXPONENT ? exponent * 10 + (*at - '0') : exponent;
        }
        number.shift += exponent == 0 || *sign != '-' ? exponent : -exponent;
    }
    double magnitude = decimal_value(&number);
    *value = negative ? -magnitude : magnitude;
    return (size_t)(at - text);
}

/* ---- Out -------------------------------------------------------------------------------------------------------- */

size_t pl_number_format_unsigned(char *text, uint32_t value)
{
    char reversed[10];
    size_t length = 0;
    do
    {
        reversed[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < length; ++i)
    {
        text[i] = reversed[length - 1 - i];
    }
    text[length] = 0;
    return length;
}

/* Very large and very small values: the C library, with its locale's decimal point put right. */
static size_t format_far(char *text, float value)
{
    int length = snprintf(text, PL_NUMBER_SIZE, "%.9g", (double)value);
    for (int i = 0; i < length; ++i)
    {
        bool plain = (text[i] >= '0' && text[i] <= '9') || text[i] == '-' || text[i] == '+' || text[i] == 'e';
        text[i] = plain ? text[i] : '.';
    }
    return (size_t)length;
}

/* digits x 10^(exponent - digit_count + 1), plainly or with an exponent. */
static size_t format_digits(char *text, uint32_t digits, int exponent)
{
    char held[PL_NUMBER_SIZE];
    int count = (int)pl_number_format_unsigned(held, digits);
    char *out = text;
    if (exponent >= 0 && exponent < 9)
    {
        for (int i = 0; i < count || i <= exponent; ++i)
        {
            if (i == exponent + 1)
            {
                *out++ = '.';
            }
            *out++ = i < count ? held[i] : '0';
        }
    }
    else if (exponent < 0 && exponent >= -5)
    {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > exponent; --i)
        {
            *out++ = '0';
        }
        memcpy(out, held, (size_t)count);
        out += count;
    }
    else
    {
        *out++ = held[0];
        if (count > 1)
        {
            *out++ = '.';
            memcpy(out, held + 1, (size_t)count - 1);
            out += count - 1;
        }
        *out++ = 'e';
        if (exponent < 0)
        {
            *out++ = '-';
        }
        out += pl_number_format_unsigned(out, (uint32_t)(exponent < 0 ? -exponent : exponent));
    }
    *out = 0;
    return (size_t)(out - text);
}

static double scaled(double value, int shift)
{
    return shift < 0 ? value / powers[-shift] : value * powers[shift];
}

size_t pl_number_format(char text[PL_NUMBER_SIZE], float value)
{
    double magnitude = fabs((double)value);
    if (magnitude == 0)
    {
        strcpy(text, signbit(value) ? "-0" : "0");
        return signbit(value) ? 2 : 1;
    }
    if (!(magnitude >= 1e-13 && magnitude < 1e21))
    {
        return format_far(text, value);
    }
    int exponent = (int)floor(log10(magnitude));
    exponent += magnitude >= scaled(1, exponent + 1);
    exponent -= magnitude < scaled(1, exponent);
    for (int count = 7;; ++count)
    {
        int shift = count - 1 - exponent;
        double digits = rint(scaled(magnitude, shift));
        if (count == 9 || (float)scaled(digits, -shift) == (float)magnitude)
        {
            int rounded_up = digits >= powers[count];
            uint32_t held = (uint32_t)digits;
            while (held % 10 == 0)
            {
                held /= 10;
            }
            char *out = text;
            if (value < 0)
            {
                *out++ = '-';
            }
            return (size_t)(out - text) + format_digits(out, held, exponent + rounded_up);
        }
    }
}
