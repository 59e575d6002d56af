#include <cstdio>

int main() {
    std::puts("knead");
    return 0;
}
