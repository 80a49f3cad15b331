// Requests a thumbnail as Explorer does: thumbnail CLSID FILE SIZE. Exit code 0 with an image of different pixels, 1 with an error code.

#define COBJMACROS
#include <initguid.h>
#include <windows.h>
#include <propsys.h>
#include <shlwapi.h>
#include <stdio.h>
#include <thumbcache.h>

// Ends the process with the name of the call that failed.
static void check(HRESULT result, const char *call) {
    if (FAILED(result)) {
        printf("%s: 0x%08lx\n", call, (unsigned long)result);
        exit(1);
    }
}

int wmain(int count, wchar_t **arguments) {
    if (count != 4) return 2;
    int size = _wtoi(arguments[3]);
    CLSID class;
    IInitializeWithStream *initializer;
    IThumbnailProvider *provider;
    IStream *stream;
    HBITMAP bitmap = NULL;
    WTS_ALPHATYPE alpha = WTSAT_UNKNOWN;
    DIBSECTION section;
    check(CoInitializeEx(NULL, COINIT_APARTMENTTHREADED), "CoInitializeEx");
    check(CLSIDFromString(arguments[1], &class), "CLSIDFromString");
    check(CoCreateInstance(&class, NULL, CLSCTX_INPROC_SERVER, &IID_IInitializeWithStream, (void **)&initializer), "CoCreateInstance");
    check(IInitializeWithStream_QueryInterface(initializer, &IID_IThumbnailProvider, (void **)&provider), "QueryInterface");
    check(SHCreateStreamOnFileW(arguments[2], STGM_READ | STGM_SHARE_DENY_NONE, &stream), "SHCreateStreamOnFileW");
    // A thumbnail before the initialization is an error, and so is a second initialization.
    if (SUCCEEDED(IThumbnailProvider_GetThumbnail(provider, size, &bitmap, &alpha))) return 3;
    check(IInitializeWithStream_Initialize(initializer, stream, STGM_READ), "Initialize");
    if (SUCCEEDED(IInitializeWithStream_Initialize(initializer, stream, STGM_READ))) return 3;
    check(IThumbnailProvider_GetThumbnail(provider, size, &bitmap, &alpha), "GetThumbnail");
    if (GetObjectW(bitmap, sizeof section, &section) != sizeof section) return 4;
    const BITMAP *image = &section.dsBm;
    const unsigned char *bytes = image->bmBits;
    int pixels = image->bmWidth * image->bmHeight, different = 0;
    for (int i = 0; i < pixels; i++) {
        different += memcmp(bytes, bytes + 4 * i, 4) != 0;
        // Premultiplied: no color is brighter than its opacity.
        for (int channel = 0; channel < 3; channel++) {
            if (bytes[4 * i + channel] > bytes[4 * i + 3]) return 5;
        }
    }
    printf("%ld x %ld pixels, %d differ from the first, alpha type %d\n", image->bmWidth, image->bmHeight, different, alpha);
    if (image->bmWidth != size || image->bmHeight != size || alpha != WTSAT_ARGB || different < pixels / 20) return 6;
    DeleteObject(bitmap);
    IStream_Release(stream);
    IThumbnailProvider_Release(provider);
    IInitializeWithStream_Release(initializer);
    return 0;
}
